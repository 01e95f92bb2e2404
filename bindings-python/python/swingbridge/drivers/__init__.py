"""Ready-made drivers. Each is a module of its own, so that importing one needs only what it drives."""
