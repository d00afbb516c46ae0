"""Cards that pay too often or too much within a minute."""
