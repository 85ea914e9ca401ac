package io.weir.client.pace;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs the direct consequences of a change at once, and nested ones soon after on another thread.
 * So a chain of any length needs a bounded stack, and no step blocks on another.
 */
final class Trampoline {
  private final DelayScheduler time;
  private final Set<Thread> busy = ConcurrentHashMap.newKeySet();

  Trampoline(DelayScheduler time) {
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
