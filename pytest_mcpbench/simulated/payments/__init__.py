"""Payments: a merchant's account behind the tools of PayPal's agent toolkit."""
