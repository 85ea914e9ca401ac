package io.weir.client.pace;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs what follows from a change at once, but what follows from that soon after, on another
 * thread: a chain of any length needs no deeper stack, and waits for nobody in it.
 */
final class Steps {
  private final Clockwork time;
  private final Set<Thread> busy = ConcurrentHashMap.newKeySet();

  Steps(Clockwork time) {
    this.time = time;
  }

  void run(List<Runnable> steps) {
    if (steps.isEmpty()) {
      return;
    }
    if (!busy.add(Thread.currentThread())) {
      time.soon(() -> run(steps));
      return;
    }
    try {
      steps.forEach(Runnable::run);
    } finally {
      busy.remove(Thread.currentThread());
    }
  }
}
