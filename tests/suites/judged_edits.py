"""Changes for the attempts that people judged and described in words, by their line in ``attempts.jsonl``."""

import json

from tests.suites.edits import Edit, added, argument, moved, no_argument, renamed


def _lark(text: str) -> str:
    return json.dumps({"text": text}, ensure_ascii=False)


EDITS: dict[int, tuple[Edit, ...]] = {
    4: (
        argument(
            "im_v1_message_create",
            "data.content",
            _lark("Is the difference between the two systems for January still 321.40 euros?"),
        ),
    ),
    5: (
        argument(
            "im_v1_message_create",
            "data.content",
            _lark("The difference between the two systems for January is still 312.40 euros."),
        ),
    ),
    6: (
        added(
            "like_feed",
            {
                "feed_id": "57085de0dcb933d502c7c873",
                "xsec_token": "ABmmAc4fYjilqjLINgIZB6T0a7hgEzZI2LJ5RxfJ0t0n=",
                "unlike": True,
            },
        ),
    ),
    7: (argument("search_feeds", "filters", {"note_type": "视频"}),),
    12: (
        argument(
            "notion_create_comment", "rich_text.0.text.content", "The first variant has to wait until the demo is over."
        ),
    ),
    22: (argument("obsidian_patch_content", "content", "- Called the doctor.\n"),),
    23: (
        renamed(
            "obsidian_patch_content",
            "obsidian_obsidian_append_content",
            {"filepath": "Daily/2026-03-02.md", "content": "- Called the dentist.\n"},
        ),
    ),
    31: (argument("send_email", "text", "I bring the receipt for the taxi (86 yuan) on Thursday."),),
    32: (no_argument("send_email", "cc"),),
    33: (
        no_argument("send_email", "cc"),
        argument("send_email", "bcc", ["anita.kowalska@northlight.example"]),
    ),
    39: (argument("send_email", "text", "I take the call on Thursday 5 March at 17:30."),),
    40: (argument("send_email", "text", "I cannot take the call on Thursday 5 March at 16:30."),),
    41: (argument("send_email", "text", "I take the call on Thursday 5 March at 16:30 GMT."),),
    45: (
        argument("send_email", "body", "The spare key is in the red teapot. Only the fern on the balcony wants water."),
    ),
    46: (
        argument(
            "send_email",
            "body",
            "The spare key is in the blue teapot. All plants but the fern on the balcony want water.",
        ),
    ),
    47: (no_argument("send_email", "inReplyTo"),),
    52: (argument("send_email", "body", "Please set three tins aside for me, 640 yuan in all."),),
    53: (argument("send_email", "body", "Please set two tins aside for me, 640 yuan each."),),
    58: (argument("create_a_reminder", "text", "Fire drill at 15:00"),),
    59: (argument("create_a_reminder", "text", "fire drill begins in 15 minutes"),),
    60: (moved("obsidian_delete_file", before="publish_content"),),
    61: (argument("publish_content", "title", "青山雨前"),),
    62: (argument("publish_content", "content", "雨后的青山茶园，茶比照片绿。记得穿防滑鞋。"),),
    63: (argument("batch_delete_emails", "messageIds", ["891fb880ac612310", "74c7acd4fc616323"]),),
    64: (argument("batch_delete_emails", "batchSize", 50),),
    65: (argument("create_filter", "criteria.from", "Stay@HotelMiramar.example"),),
    70: (argument("send_email", "body", "It can be cancelled until 15 May."),),
    71: (argument("send_email", "body", "It can be cancelled from 13 May."),),
    72: (argument("send_email", "subject", "The hotel cannot be cancelled"),),
    73: (argument("send_email", "subject", "Cancelling the hotel in Lisbon"),),
    74: (argument("list_events", "end_date", "2026-04-16T00:00:00"),),
    75: (argument("list_events", "end_date", "2026-04-15T23:59:00"),),
    76: (argument("list_events", "end_date", "2026-04-15T23:59"),),
    77: (argument("list_events", "end_date", "2026-04-15T23:59:59Z"),),
    78: (
        argument("list_events", "start_date", "2026-04-15"),
        argument("list_events", "end_date", "2026-04-16"),
    ),
    79: (
        argument("list_events", "start_date", "2026-04-15"),
        argument("list_events", "end_date", "2026-04-15"),
    ),
    80: (
        argument("list_events", "start_date", "2026-04-16T00:00:00"),
        argument("list_events", "end_date", "2026-04-16T23:59:59"),
    ),
    81: (
        argument("list_events", "start_date", "2026-04-13T00:00:00"),
        argument("list_events", "end_date", "2026-04-19T23:59:59"),
    ),
    82: (argument("create_event", "create_event_request.start_time", "2026-03-27T13:00"),),
    83: (argument("create_event", "create_event_request.start_time", "2026-03-27 13:00:00"),),
    84: (
        argument("create_event", "create_event_request.start_time", "2026-03-27T13:00:00Z"),
        argument("create_event", "create_event_request.end_time", "2026-03-27T13:45:00Z"),
    ),
    85: (
        argument("create_event", "create_event_request.start_time", "2026-03-27T13:00:00+00:00"),
        argument("create_event", "create_event_request.end_time", "2026-03-27T13:45:00+00:00"),
    ),
    86: (
        argument("create_event", "create_event_request.start_time", "2026-03-27T14:00:00+01:00"),
        argument("create_event", "create_event_request.end_time", "2026-03-27T14:45:00+01:00"),
    ),
    87: (
        argument("create_event", "create_event_request.start_time", "2026-03-27T13:00:00+01:00"),
        argument("create_event", "create_event_request.end_time", "2026-03-27T13:45:00+01:00"),
    ),
    88: (argument("create_event", "create_event_request.calendar_name", "Work"),),
    90: (
        argument("create_event", "create_event_request.title", "Oakline call"),
        added(
            "update_event",
            {
                "event_id": "C32F84E1-B20F-49F4-84D8-B6F0EF8B7DC6",
                "update_event_request": {"title": "Call with Oakline"},
            },
        ),
    ),
    91: (
        argument("list_events", "start_date", "2026-03-01T00:00:00"),
        argument("list_events", "end_date", "2026-03-31T23:59:59"),
    ),
    92: (argument("edit_file", "edits.0", {"oldText": "- order staples\n", "newText": "- order nails\n"}),),
    93: (argument("edit_file", "dryRun", False),),
    94: (argument("edit_file", "dryRun", True),),
    95: (argument("create_directory", "path", "/home/nora/projects/lantern/video"),),
    96: (argument("create_directory", "path", "~/projects/lantern/video"),),
    97: (argument("create_directory", "path", "./projects/lantern/video"),),
    98: (argument("create_directory", "path", "projects/lantern/video/"),),
    99: (added("move_file", {"source": "drafts/done/speech.txt", "destination": "drafts/speech.txt"}),),
    100: (argument("write_file", "content", "8 buns for Saturday\n"),),
    101: (argument("write_file", "content", "nothing yet\n"),),
    102: (argument("set_config_value", "value", 250),),
    103: (added("set_config_value", {"key": "fileReadLineLimit", "value": 1000}),),
    104: (argument("set_config_value", "value", True),),
    107: (argument("tavily_search", "max_results", 5),),
    108: (argument("tavily_map", "url", "https://books.ravenswick.example/"),),
    109: (renamed("tavily_search", "google_search", {"query": "copper mine of Dunmarrow"}),),
    110: (argument("tavily_search", "max_results", 5),),
    116: (argument("append_to_page", "text", "Hours for the offer, with reserve: 435.6"),),
    121: (
        argument("create_event", "create_event_request.start_time", "2026-03-04T15:30:00"),
        argument("create_event", "create_event_request.end_time", "2026-03-04T16:00:00"),
    ),
    122: (
        argument("create_event", "create_event_request.start_time", "2026-03-04T14:30"),
        argument("create_event", "create_event_request.end_time", "2026-03-04T15:00"),
    ),
    123: (argument("create_entities", "entities.0.observations", ["Would take 95 hours off the workshop"]),),
    124: (argument("create_entities", "entities.0.observations", ["95 hours"]),),
    125: (
        argument(
            "create_entities", "entities.0.observations", ["A subcontractor would take 95 hours off the workshop"]
        ),
    ),
    126: (argument("create_entities", "entities.0.observations", ["Number of hours: 95"]),),
    127: (argument("create_entities", "entities.0.entityType", "work_package"),),
    134: (argument("GetIndexValuation", "indexCode", "ix0004"),),
    135: (
        argument("PlanSavingGoal", "targetAmount", 300000.0),
        argument("PlanSavingGoal", "months", 60.0),
        argument("PlanSavingGoal", "annualReturnRate", 3.0),
    ),
    136: (argument("PlanSavingGoal", "annualReturnRate", 0.03),),
}

NOT_PLAYED = {
    89: "the calendar of the suite has no tool that deletes",
    105: "the server knows no symbol with a suffix",
    106: "the request asks for no order of the symbols any more",
    111: "the request leaves the topic of the search open now",
}
DISPUTED = {
    23: "the note has a heading behind the one with the notes, so that a line at its end is no note",
    79: "the server answers that there are no events between a midnight and itself",
    81: "MCP-RADAR judges the operation, and the day alone was asked for",
    90: "MCP-RADAR judges the operation: the event has to be created as asked for",
    91: "MCP-RADAR judges the operation, and the day alone was asked for",
}
"""Right attempts that fail, and why."""
