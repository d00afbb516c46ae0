"""What the report says of each section, and what each is to reach."""
