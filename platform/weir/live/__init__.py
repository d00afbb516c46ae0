"""The WebSocket protocol (docs/protocol.md) and the hub that feeds it."""
