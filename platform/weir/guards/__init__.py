"""Guards of streams: what they counted, the dead letters they kept, and sending those again."""
