"""Operations on validators and dead letters. Nothing else writes their tables."""
