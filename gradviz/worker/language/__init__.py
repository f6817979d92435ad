"""What a snippet may write. `policy` checks the text before it runs and inserts hooks, at which `guard` and `classes`
decide while it runs. What does not exist here says so where it is used (`absent`), and all such places are found at
once (`missing_uses`). The tables of both are in `gradviz.worker.policy_names`.
"""
