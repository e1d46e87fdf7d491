"""Universal e-mail: one client for any SMTP and IMAP servers, with the user's account at work."""
