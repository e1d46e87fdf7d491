"""A browser without a network: a few small sites behind the tools of Playwright's and Puppeteer's servers."""
