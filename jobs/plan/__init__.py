"""Planning: passes over a document in a fixed order (`pipeline.PASSES`), and the comparison of two plans."""

from jobs.plan.diff import Change, PlanDiff, diff
from jobs.plan.kept_state import EmptyMeasure, KeptState, empty_measures, empty_measures_text, kept_state
from jobs.plan.model import ModeDecision, Node, Plan, PlanningContext, SourceBound
from jobs.plan.pipeline import PASSES, plan_job
from jobs.plan.queries import Exchange, OutputGroup, Query, QueryName, Sink

__all__ = [
    "PASSES",
    "Change",
    "EmptyMeasure",
    "Exchange",
    "KeptState",
    "ModeDecision",
    "Node",
    "OutputGroup",
    "Plan",
    "PlanDiff",
    "PlanningContext",
    "Query",
    "QueryName",
    "Sink",
    "SourceBound",
    "diff",
    "empty_measures",
    "empty_measures_text",
    "kept_state",
    "plan_job",
]
