"""Paragraphs of general knowledge that help with no task: distractors for contexts (MCP-Persona, appendix).

The paper draws distractors from some 16,000 paragraphs of 40 to 100 words; these were written for this package, with
the same bounds. They contain no person, address or date, so that none can be mistaken for a fact about the user.
"""

PARAGRAPHS = (
    "Basalt is a dark volcanic rock that forms when thin lava cools quickly near the surface of a planet. It makes up "
    "most of the ocean floor, and where thick flows cool slowly they crack into columns with five or six sides. "
    "Builders crush it for roads and railway beds because it is hard, heavy and slow to wear.",
    "A lighthouse lens is not one piece of glass but a stack of rings, each cut at its own angle. The rings bend the "
    "light of a small lamp into a narrow beam that can be seen over many miles, with a fraction of the glass that a "
    "solid lens of that size would need. Turning the lens makes the beam seem to flash.",
    "Sourdough rises without bought yeast. Flour and water are left to stand until wild yeasts and bacteria settle in "
    "the mixture, which is then fed with fresh flour every day. The bacteria make acids that give the bread its taste "
    "and keep mould away, and some bakeries have fed one and the same starter for more than a century.",
    "The common swift spends nearly all of its life in the air. It eats, drinks and sleeps on the wing and comes down "
    "only to breed, under roofs and in cracks of walls. Young birds drop from the nest and may not land again for two "
    "or three years. Its legs are so short that it starts badly from flat ground.",
    "Felt is probably the oldest cloth that people have made, since it needs neither spinning nor weaving. Wool is "
    "wetted, warmed and pressed until the scales of its fibres lock into one another. Herders of the steppe still "
    "cover their round tents with it, as it keeps out wind and holds warmth even when damp.",
    "Tide mills used the sea in place of a river. A dam with gates across a small bay let the rising water in and "
    "held it back at high tide; when the level outside had fallen, the stored water ran out over a wheel. The miller "
    "worked for some hours after each high water, which came later every day.",
    "The saffron crocus flowers for about two weeks in autumn, and each flower has three red threads that must be "
    "picked by hand before the sun is high. It takes the threads of roughly one hundred and fifty flowers to make a "
    "single gram once they are dried, which is why saffron is sold by weight like a precious metal.",
    "A sextant measures the angle between the horizon and a star or the sun. Two mirrors bring both into one picture, "
    "so that the reading does not suffer from the rolling of the ship. Together with an exact clock and a printed "
    "almanac it tells a navigator where the ship is to within a mile or two.",
    "Peat forms where plants grow in water that holds little air, so that what dies does not rot away. A bog gains "
    "about one millimetre of it in a year. Layers of several metres therefore hold pollen and wood from thousands of "
    "years, from which it can be told which trees once stood nearby.",
    "The harp has changed less than most instruments, but its pedals are young. They shorten all strings of one name "
    "at once by a half tone or a whole one, so that a player can change key with the feet while both hands go on "
    "playing. A concert harp has seven pedals and forty-seven strings.",
    "Limestone caves are made by rain. Falling through air and soil it takes up carbon dioxide and becomes a weak "
    "acid, which dissolves the stone along its cracks. Where drops hang from the roof they lose the gas again and "
    "leave a thin ring of stone behind, and so the hanging cones grow by a hand's breadth in a thousand years.",
    "Early bicycles had their pedals on the front wheel, so one turn of the feet was one turn of the wheel. Makers "
    "built ever larger front wheels to go faster, until riders sat as high as a horse's back. The chain ended this: "
    "with two sprockets of unlike size a small wheel could be as quick as a tall one, and far safer.",
    "Cork is the bark of an oak that grows around the western Mediterranean. It is peeled from the living tree with "
    "axes, for the first time when the tree is about twenty-five years old and then every nine years. The tree "
    "grows a new bark each time and may be harvested fifteen times in its life.",
    "The octopus has most of its nerve cells in its arms. Each arm can taste and feel for itself and carries on with "
    "simple movements on its own, while the brain decides on the aim. In tanks the animals learn to open jars and "
    "to tell one keeper from another, and they have been seen to squirt water at lamps that disturbed them.",
    "Paper sizes of the common standard share one idea: a sheet cut in half along its longer side gives two sheets of "
    "the same shape. This works only if the sides stand to each other as one to the square root of two. The largest "
    "sheet of the series has an area of one square metre, so that weights can be worked out in the head.",
    "Glass blowers gather molten glass on the end of a long pipe and must keep turning it, or it sags to one side. "
    "The finished piece cannot simply be set down to cool. It goes into an oven that falls slowly in temperature "
    "through the night, so that no part shrinks before another and cracks the whole.",
    "A glacier is ice that flows. Under the weight of new snow the lower layers turn to ice, and once they are thick "
    "enough they creep downhill, faster in the middle than at the edges. Stones frozen into the bottom scratch the "
    "rock below, and such scratches show where glaciers lay long after they have melted.",
    "The zip fastener took about twenty years to become reliable. The first ones used hooks and eyes, came open at "
    "bad moments and rusted after washing. What made them work was a row of small equal cups that nest in one "
    "another, and a machine that could stamp them out of wire and clamp them to tape without pause.",
    "Bamboo is a grass, and some kinds grow by almost a metre in one day. A stem is as thick when it leaves the ground "
    "as it will ever be, and reaches its full height in a few months. Many species flower only once in several "
    "decades, all plants of a kind at about the same time, and then die.",
    "Shadow theatre needs a lamp, a cloth and figures cut from thin leather. The leather is scraped until light shines "
    "through it and then coloured, so that the shadows are not black but bright. One player often moves all the "
    "figures, speaks all the voices and beats time with a foot, for a whole night.",
    "The metre was meant to be a ten-millionth of the way from the pole to the equator. Two surveyors measured a part "
    "of that line between two cities for seven years, in the middle of a war, by triangles from tower to tower. Their "
    "result was short by about a fifth of a millimetre in each metre.",
    "Mangroves stand where other trees would die, in salt water and in mud without air. Some hold salt back at their "
    "roots, others push it out through their leaves. Roots that stick up out of the mud like pencils take in air at "
    "low tide. Young fish hide among them, and storms lose their force there before they reach the land behind.",
    "Type for printing was once cast letter by letter from an alloy of lead, tin and antimony. The alloy melts easily "
    "and does not shrink when it sets, so that every letter fills its mould sharply. Compositors picked the letters "
    "from flat cases, capitals above and the rest below, from which English has its words for them.",
    "The aurora appears where particles from the sun follow the lines of the earth's magnetic field down into the "
    "upper air. Oxygen glows green at about a hundred kilometres and red higher up, while nitrogen gives blue and "
    "violet. The light forms a ring around each magnetic pole, so both ends of the earth see it at once.",
)
