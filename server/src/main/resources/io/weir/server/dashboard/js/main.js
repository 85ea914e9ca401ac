// Starts the page: what is asked for, and when.

import { ask, Unreachable } from "./api.js";
import { loadCallers } from "./callers.js";
import { ageChanges, lastRejected, loadChanges } from "./changes.js";
import { startFiles } from "./files.js";
import { hearOfStore, showHealth, showSpeed } from "./health.js";
import { startShortcuts } from "./help.js";
import { age, hear, isLive, isThere, lose, poll } from "./link.js";
import { onRulesWanted, rulesWanted, showRules, showTrouble } from "./rules.js";
import { startSpy } from "./spy.js";
import { Stream } from "./stream.js";
import { startTheme } from "./theme.js";
import { loadTraffic, showGateway, tick } from "./traffic.js";
import { startWhatIf } from "./whatif.js";

const LOOK_MS = 2000;

let isLooking = false;
let lookAgain = false;

/** The overview feeds three panels; one question at a time. */
async function look() {
  if (isLooking) {
    lookAgain = true;
    return;
  }
  isLooking = true;
  try {
    const overview = await ask("v1/overview", rulesWanted());
    overview.reloads.last_rejected = lastRejected();
    showHealth(overview);
    showGateway(overview.node.ports);
    showRules(overview);
    startWhatIf(overview);
    ageChanges();
  } catch (failure) {
    if (!(failure instanceof Unreachable)) {
      showTrouble(failure.message);
    }
  } finally {
    isLooking = false;
  }
  if (lookAgain) {
    lookAgain = false;
    look();
  }
}

function everything() {
  look();
  loadTraffic();
  loadCallers();
  loadChanges();
}

const stream = new Stream()
  .on("open", () => {
    hear();
    everything();
  })
  .on("tick", (event) => {
    hear();
    showSpeed(event);
    if (!document.hidden) {
      tick();
    }
  })
  .on("store", (event) => {
    hearOfStore(event);
    look();
    loadTraffic();
  })
  .on("change", () => {
    loadChanges().then(look);
  })
  .on("lost", ({ reason, isFull, pause }) => {
    if (isFull) {
      poll(reason.message, LOOK_MS);
      everything();
    } else {
      lose(pause, () => stream.hurry());
    }
  });

/** Calls `work` every so often while somebody looks and the server is there. */
function every(ms, work) {
  setInterval(() => {
    if (!document.hidden && isThere()) {
      work();
    }
  }, ms);
}

startTheme();
startShortcuts();
startSpy();
startFiles();
onRulesWanted(look);
every(LOOK_MS, look);
every(LOOK_MS, loadCallers);
every(LOOK_MS, () => !isLive() && loadTraffic());
setInterval(age, 1000);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && isThere()) {
    everything();
  } else if (!document.hidden) {
    stream.hurry();
  }
});
stream.start("v1/events");
