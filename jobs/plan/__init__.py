"""Planning: passes over a whole document, in one visible order (`pipeline.PASSES`), and the comparison of two plans."""

from jobs.plan.diff import Change, Verdict, diff
from jobs.plan.model import Facts, ModeDecision, Node, Plan, SourceBound
from jobs.plan.pipeline import PASSES, plan_job
from jobs.plan.queries import Exchange, OutputGroup, Query, QueryName, Sink

__all__ = [
    "PASSES",
    "Change",
    "Exchange",
    "Facts",
    "ModeDecision",
    "Node",
    "OutputGroup",
    "Plan",
    "Query",
    "QueryName",
    "Sink",
    "SourceBound",
    "Verdict",
    "diff",
    "plan_job",
]
