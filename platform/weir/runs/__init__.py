"""Jobs, versions, generations, runs and engines: desired and observed."""
