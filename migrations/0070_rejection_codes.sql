-- Why a file cannot be used, as a code: its sentence is English, and readers of other languages were shown what was guessed from it.
alter table media_file add column rejected_code text;

update media_file set rejected_code = case
    when rejected_reason like 'It was deleted%' then 'deleted'
    when rejected_reason like '%cut off%' then 'truncated'
    when rejected_reason like '%no moving pictures%' then 'no_pictures'
    when rejected_reason like '%unknown way%' then 'unknown_codec'
    when rejected_reason like '%megapixels%' then 'too_many_pixels'
    when rejected_reason like '%simpler or shorter%' or rejected_reason like '%scans%' then 'too_many_parts'
    when rejected_reason like '%takes too long%' then 'too_slow'
    when rejected_reason like '%takes too much%' then 'too_much_memory'
    else 'unreadable'
  end
  where state = 'REJECTED';

alter table media_file add check ((state = 'REJECTED') = (rejected_code is not null));
