"""Browser without network access: a few small websites behind the tools of the Playwright and Puppeteer servers."""
