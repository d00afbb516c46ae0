"""The flights that left New York in 2013: departures and average delay per airport, hour by hour."""
