"""What every service shares; nothing here knows a service."""
