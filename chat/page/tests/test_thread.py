"""What the list of conversations shows."""

from chat.conftest import RENT_QUESTION, Ask
from chat.models import Conversation
from chat.page.thread import conversation_groups


def test_it_lists_the_conversation_used_last_first(ask: Ask) -> None:
    turns = [ask(RENT_QUESTION) for _ in range(4)]
    user = turns[0].conversation.user
    [(_, listed)] = conversation_groups(user)
    asked = list(Conversation.objects.visible_to(user).order_by("-active_at").values_list("pk", flat=True))
    assert [each.conversation.pk for each in listed] == asked == [turn.conversation_id for turn in reversed(turns)]
