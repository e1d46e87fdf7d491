#!/bin/sh
# Asks before it copies the fonts.
echo 'Fonts will be copied to tools/fonts.'
