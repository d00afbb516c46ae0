"""Every flight that left New York in 2013, with the weather at its airport when it left."""
