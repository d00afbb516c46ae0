"""The schema registry: subjects, versions, compatibility; Confluent's routes under
``/registry/<workspace>/``.
"""
