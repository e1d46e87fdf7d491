#!/bin/sh
# Renders the views of a model one after the other.
echo 'rendering view 1 of 4'
