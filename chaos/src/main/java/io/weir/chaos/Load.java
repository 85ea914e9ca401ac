package io.weir.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Clients that ask for more than the limits allow, each one question or a few in a row at a time,
 * of any node that is there.
 *
 * <p>An answer that is not there by the deadline counts as none, whatever it would have been, and a
 * row without an answer as one question.
 */
final class Load implements AutoCloseable {
  private static final int CLIENTS = 8;
  private static final int USERS = 3;
  private static final Duration DEADLINE = Duration.ofMillis(400);

  private final Stage stage;
  private final List<Contract> contracts;
  private final Queue<Answer> log = new ConcurrentLinkedQueue<>();
  private final List<Thread> clients = new ArrayList<>();
  private volatile boolean ended;

  Load(Stage stage, Schedule schedule) {
    this.stage = stage;
    this.contracts = schedule.contracts();
    for (int i = 0; i < CLIENTS; i++) {
      Random random = new Random(schedule.seed() * 31 + i);
      Thread client = new Thread(() -> ask(random), "client-" + i);
      client.setDaemon(true);
      client.start();
      clients.add(client);
    }
  }

  private void ask(Random random) {
    try {
      while (!ended) {
        Contract contract = contracts.get(random.nextInt(contracts.size()));
        Node node = stage.nodes().get(random.nextInt(stage.nodes().size()));
        String user = "user-" + random.nextInt(USERS);
        int count = 1 + random.nextInt((int) Math.max(2, contract.permits() / 4));
        if (node.isThere()) {
          ask(contract, node, user, count);
        }
        Thread.sleep(5 + random.nextInt(20));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void ask(Contract contract, Node node, String user, int count)
      throws InterruptedException {
    String name = contract.name();
    long sent = System.nanoTime();
    List<Decided> decisions = List.of();
    try {
      decisions = node.check(name, user, count).get(DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException none) {
      // That is what is counted.
    }
    long received = System.nanoTime();
    if (decisions.isEmpty() || received - sent > DEADLINE.toNanos()) {
      log.add(Answer.none(name, user, node.number(), sent, received));
      return;
    }
    for (Decided it : decisions) {
      Answer.Verdict verdict = it.yes() ? Answer.Verdict.YES : Answer.Verdict.NO;
      log.add(
          new Answer(name, user, node.number(), verdict, sent, it.before(), it.after(), received));
    }
  }

  /** Ends it, and tells what was answered. */
  List<Answer> end() throws InterruptedException {
    close();
    for (Thread client : clients) {
      client.join(30_000);
    }
    return List.copyOf(log);
  }

  @Override
  public void close() {
    ended = true;
  }
}
