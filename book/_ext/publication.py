def setup(app): return {}
