"""Stateful processors in Python: what stand-alone scripts run, which contain the text of these modules.

An engine has the same in the JVM (`jvm/src/weir/state`), many times faster; a script has no jar of Weir's.
"""
