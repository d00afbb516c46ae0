"""The routes of previews."""
