"""Stock markets: generated quotes and price histories behind the tools of two data services."""
