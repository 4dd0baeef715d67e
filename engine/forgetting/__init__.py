"""How memories gain and lose strength. Decay and dormancy join reinforcement here; nothing is ever deleted by it."""
