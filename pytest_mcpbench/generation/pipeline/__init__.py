"""Pipelines that make benchmarks: small stages, each of which reads candidates from a file and writes its own file.

``stages`` defines a stage, and ``running`` its files and the order in which stages run. Models are asked
through ``questions``; ``estimate`` says beforehand what this costs, and ``summary`` afterwards what became of the
candidates. The pipelines themselves are in :mod:`pytest_mcpbench.generation.pipelines`.
"""
