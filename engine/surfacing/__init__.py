"""What comes up unasked: the breath at the start of a conversation, what is due, and today's slip (S1, S2).

Reads only: coming up by itself reinforces nothing. Whatever depends on the day depends on the user's local day.
"""
