"""How deeds are done in the apps: one module an app, which takes ids and texts from the app's seed."""
