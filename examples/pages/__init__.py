"""The ten most read pages of the last hour, anew every minute."""
