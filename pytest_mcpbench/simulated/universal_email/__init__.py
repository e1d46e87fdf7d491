"""Universal e-mail: one client over any SMTP and IMAP servers, with the user's account at work."""
