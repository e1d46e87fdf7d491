"""Payments: a merchant's account, served with the tools of PayPal's agent toolkit."""
