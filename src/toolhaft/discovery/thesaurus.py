"""Words that people and authors of tools use for the same thing, in groups of stems.

Written by hand for this search: verbs of tools, and things of offices, shops, travel, finance and
computing. A word of the same group counts for much less than the word itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from toolhaft.discovery.words import stem

__all__ = ["SYNONYMS"]

_GROUPS: Final = """
get fetch retrieve show display view read load obtain see give
find search locate discover look seek lookup which where query
list enumerate all every
create make new build start generate produce
start begin launch run open boot up
add insert append attach put include
delete remove erase discard drop destroy forget clear
update change modify edit alter adjust replace revise
replace swap exchange substitute instead switch
undo revert reset restore unstage
set configure setting config option preference
stop end terminate kill cancel abort halt quit close
cancel withdraw abandon
close resolve finish complete done
copy duplicate clone fork
move rename relocate transfer
merge join combine unite land
split divide separate cut
convert transform turn translate
compress zip gzip squeeze shrink archive
send deliver dispatch mail email message notify
mail email
message text chat note comment reply
write save store record keep persist
calculate compute work count figure determine
compare difference diff versus
check verify validate test correct valid
watch monitor observe track
explain describe summarize summary detail
detail information info about metadata particular
analyze inspect examine analysis study
allow permit grant access permission right role
revoke deny withdraw
assign hand delegate
invite request ask
book reserve reservation booking
buy purchase order trade shop
order purchase bought
pay payment charge card wallet
return refund back
price cost worth rate fee value much
money cash currency amount fund
bitcoin crypto cryptocurrency coin
stock share equity ticker
company firm business corporation
profit earning income revenue
earning quarter quarterly
shareholder holder investor owner own
history historical past trend over month year
today now current present moment
tomorrow forecast future predict prediction
rain weather temperature sun snow hot cold
date day calendar schedule time
hour clock time
folder directory
file document
sheet tab worksheet
spreadsheet workbook excel
deck presentation powerpoint slideshow
graph chart plot bar
picture image photo screenshot photograph
site website webpage web page url
browser chrome firefox
form field input
mouse hover cursor pointer
program process application app software
script code javascript source
function method
container docker
service server stack
log output print console
error bug crash exception issue failure
issue ticket bug
repository repo project codebase
commit revision change
branch feature
pr pull review
reviewer review
release version published
credential secret password token
login logged authenticate sign
click press tap
upload attach
phone mobile device
person human people
format style theme design
car vehicle auto
art museum gallery painting
me self myself whoami authenticated my
user person people member account customer client
team group
employee staff worker
permission collaborator access
vulnerability security hole cve advisory
vulnerable vulnerability
dependency library package
status state condition
subscription notification inbox
unread notification
article paper publication research
book novel
news headline
encyclopedia wikipedia
chapter section
song music track melody
movie film cinema
game match
basketball soccer football
recipe dish meal cook
ingredient food
city town place location
address street
coordinate longitude latitude geographic
house home property apartment flat
neighborhood area district around
near nearby close around
school university college education
hospital clinic doctor
restaurant cafe
hotel accommodation room
flight plane airline
train railway station
cab taxi ride
drive driving route direction travel commute
distance far kilometre kilometer mile
parking park
discount coupon
area size big large
size large big
memory remember memorise knowledge observation
fact observation
relation link connect connection
link hyperlink
download
shuffle mix order
sample draw choose pick
integer number
color colour
language translate
encoding utf character
cpu performance slow profile
""".strip()  # fmt: skip


def _read_groups() -> Mapping[str, frozenset[str]]:
    synonyms: dict[str, set[str]] = {}
    for line in _GROUPS.splitlines():
        group = {stem(word) for word in line.split()}
        for word in group:
            synonyms.setdefault(word, set()).update(group)
    return MappingProxyType({word: frozenset(group) for word, group in synonyms.items()})


SYNONYMS: Final = _read_groups()
