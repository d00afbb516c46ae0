"""Parts of a plan's stand-alone PySpark script: sources, steps and the text around them.

`jobs.plan.render` assembles them.
"""
