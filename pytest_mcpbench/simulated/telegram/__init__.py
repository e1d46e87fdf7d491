"""Telegram: chats and contacts of one account."""
