"""What a plan as a stand-alone PySpark script is written from: one file per kind of step; `jobs.plan.render`
puts it together.
"""
