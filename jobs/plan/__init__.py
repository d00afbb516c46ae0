"""Planning: passes over a whole document, in one visible order (`pipeline.PASSES`), and the comparison of two plans."""

from jobs.plan.diff import Change, Verdict, diff
from jobs.plan.model import Facts, ModeDecision, Node, Plan, SourceBound
from jobs.plan.pipeline import PASSES, plan_job
from jobs.plan.queries import Cut, OutputGroup, Sink, Stage, StageName

__all__ = [
    "PASSES",
    "Change",
    "Cut",
    "Facts",
    "ModeDecision",
    "Node",
    "OutputGroup",
    "Plan",
    "Sink",
    "SourceBound",
    "Stage",
    "StageName",
    "Verdict",
    "diff",
    "plan_job",
]
