"""Gathers evidence about a job, and judges it with rules that know neither database nor broker."""
