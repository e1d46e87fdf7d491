"""The agent without a model: it chooses tools and fills arguments from the words of the request."""
