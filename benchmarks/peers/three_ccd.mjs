// three.js' CCDIKSolver, 200 iterations, position only. Says what protocol.py says, without numpy.
//
// A joint is a bone that stands still (its frame) and a bone that turns about Z; the limits are those of its Euler angles.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";
import path from "node:path";

const folder = path.join(process.argv[2], "node_modules", "three");
const version = createRequire(import.meta.url)(path.join(folder, "package.json")).version;
const load = (file) => import(pathToFileURL(path.join(folder, file)).href);
const THREE = await load("build/three.module.js");
const { CCDIKSolver } = await load("examples/jsm/animation/CCDIKSolver.js");

const ITERATIONS = 200;
let turns, target, solver, middle;

function fixed(rows) {
  const bone = new THREE.Bone();
  const matrix = new THREE.Matrix4().set(...rows.flat());
  matrix.decompose(bone.position, bone.quaternion, bone.scale);
  return bone;
}

function take(chain) {
  if (chain.joints.some((joint) => joint.type === "prismatic")) return { cannot: "has no sliding joints" };
  const bones = [];
  const add = (bone) => {
    if (bones.length) bones[bones.length - 1].add(bone);
    bones.push(bone);
    return bones.length - 1;
  };
  turns = [];
  const links = [];
  middle = chain.joints.map((joint) => 0.5 * (joint.lo + joint.hi));
  for (const joint of chain.joints) {
    add(fixed(joint.T));
    const turn = new THREE.Bone();
    const index = add(turn);
    turns.push(turn);
    const free = joint.type === "continuous";
    links.unshift({
      index,
      rotationMin: new THREE.Vector3(0, 0, free ? -Math.PI : joint.lo),
      rotationMax: new THREE.Vector3(0, 0, free ? Math.PI : joint.hi),
    });
  }
  const effector = add(fixed(chain.tip));
  target = new THREE.Bone();
  bones.push(target);
  const mesh = new THREE.SkinnedMesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial());
  mesh.add(bones[0]);
  mesh.add(target);
  mesh.bind(new THREE.Skeleton(bones));
  solver = new CCDIKSolver(mesh, [{ target: bones.length - 1, effector, links, iteration: ITERATIONS }]);
  mesh.updateMatrixWorld(true);
  return { ok: true };
}

function place(values) {
  turns.forEach((turn, i) => turn.rotation.set(0, 0, values[i]));
  turns[0].parent.updateMatrixWorld(true);
}

function reach(position, start) {
  const begin = process.hrtime.bigint();
  if (start) place(start);
  target.position.set(...position);
  target.updateMatrixWorld(true);
  solver.update();
  const seconds = Number(process.hrtime.bigint() - begin) * 1e-9;
  return [turns.map((turn) => turn.rotation.z), seconds];
}

function solve(ask) {
  if (ask.R) return { cannot: "knows positions only" };
  for (const position of ask.p.slice(0, ask.warm)) reach(position, middle);
  const found = ask.p.map((position) => reach(position, middle));
  return { q: found.map((one) => one[0]), t: found.map((one) => one[1]) };
}

function paths(ask) {
  const found = ask.p.map((frames, i) => {
    place(ask.q0[i]);
    return frames.map((position) => reach(position, null));
  });
  return { q: found.map((each) => each.map((one) => one[0])), t: found.map((each) => each.map((one) => one[1])) };
}

function answer(ask) {
  if (ask.do === "chain") return take(ask.chain);
  if (ask.do === "solve") return solve(ask);
  if (ask.do === "paths") return paths(ask);
  return { cannot: "has no batches" };
}

console.log(JSON.stringify({ name: "three.js CCD", version, note: `CCDIKSolver, ${ITERATIONS} iterations; positions only` }));
for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(answer(JSON.parse(line))));
