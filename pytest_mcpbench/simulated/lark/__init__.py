"""Lark (Feishu): calendars, contacts and chats of one account."""
