-- Nothing erases a workspace in one statement any more: see erase_workspace_batch().
drop function erase_workspace();
