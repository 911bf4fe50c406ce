"""The only room that reads or writes Blender data: armature and skeleton, meshes, channels, keys, picking."""
