package io.weir.chaos;

import io.weir.chaos.audit.Contract;
import io.weir.chaos.audit.RecordedCheck;
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
 * Clients that request more than the limits allow, one request or a few in a row at a time, from
 * any running node.
 *
 * <p>A reply that is missing at the deadline counts as none, whatever it would have been. A row
 * without a reply counts as one request.
 */
final class LoadClients implements AutoCloseable {
  private static final int CLIENTS = 8;
  private static final long GENERATION_NANOS = Duration.ofMillis(400).toNanos();
  private static final String MODEST = "modest";
  private static final Duration DEADLINE = Duration.ofMillis(400);

  private final TestCluster testCluster;
  private final Schedule schedule;
  private final List<Contract> contracts;
  private final long start = System.nanoTime();
  private final Queue<RecordedCheck> log = new ConcurrentLinkedQueue<>();
  private final Queue<String> errors = new ConcurrentLinkedQueue<>();
  private final List<Thread> clients = new ArrayList<>();
  private volatile boolean ended;

  LoadClients(TestCluster testCluster, Schedule schedule) {
    this.testCluster = testCluster;
    this.schedule = schedule;
    this.contracts = schedule.contracts();
    for (int i = 0; i < CLIENTS; i++) {
      Random random = new Random(schedule.seed() * 31 + i);
      start(() -> requestGreedily(random));
    }
    for (Contract contract : contracts) {
      Random random = new Random(schedule.seed() * 31 - 1);
      start(() -> requestModestly(contract, random));
    }
  }

  /** Whether it belongs to a user below the limit. */
  static boolean isModest(RecordedCheck recordedCheck) {
    return recordedCheck.user().equals(MODEST);
  }

  private interface Client {
    void requestOnce() throws InterruptedException;
  }

  private void start(Client client) {
    Thread thread = new Thread(() -> requestRepeatedly(client), "client-" + clients.size());
    thread.setDaemon(true);
    thread.start();
    clients.add(thread);
  }

  private void requestRepeatedly(Client client) {
    try {
      while (!ended) {
        client.requestOnce();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void requestGreedily(Random random) throws InterruptedException {
    Contract contract = contracts.get(random.nextInt(contracts.size()));
    long newest = (System.nanoTime() - start) / GENERATION_NANOS;
    String user = "user-" + Math.max(0, newest - random.nextInt(schedule.users()));
    int count = 1 + random.nextInt((int) Math.max(2, Math.min(25, contract.permits() / 4)));
    check(contract, any(random), user, count);
    Thread.sleep(5 + random.nextInt(20));
  }

  private void requestModestly(Contract contract, Random random) throws InterruptedException {
    check(contract, any(random), MODEST, 1);
    Thread.sleep(1 + 2 * contract.period().toMillis() / contract.fewestPermits());
  }

  private NodeProcess any(Random random) {
    int activeNodes = schedule.activeNodes(testCluster.nodes().size());
    NodeProcess nodeProcess = testCluster.nodes().get(random.nextInt(activeNodes));
    return schedule.targetedScenario().isEmpty() || nodeProcess.isAwake()
        ? nodeProcess
        : awake(nodeProcess);
  }

  /** An attack takes less than a second: no client may spend it waiting for a stopped node. */
  private NodeProcess awake(NodeProcess otherwise) {
    return testCluster.nodes().stream()
        .filter(nodeProcess -> nodeProcess.isAwake() && nodeProcess.isThere())
        .findFirst()
        .orElse(otherwise);
  }

  private void check(Contract contract, NodeProcess nodeProcess, String user, int count)
      throws InterruptedException {
    if (!nodeProcess.isThere()) {
      return;
    }
    String name = contract.name();
    long sent = System.nanoTime();
    List<TimedDecision> decisions = List.of();
    try {
      decisions =
          nodeProcess.check(name, user, count).get(DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof NodeError) {
        errors.add(nodeProcess + " was asked for " + contract + ": " + e.getCause().getMessage());
      }
    } catch (TimeoutException none) {
      // A missing reply is recorded as none.
    }
    long received = System.nanoTime();
    if (decisions.isEmpty() || received - sent > DEADLINE.toNanos()) {
      log.add(RecordedCheck.none(name, user, nodeProcess.number(), sent, received));
      return;
    }
    for (TimedDecision it : decisions) {
      RecordedCheck.Result result =
          it.allowed() ? RecordedCheck.Result.ALLOWED : RecordedCheck.Result.REFUSED;
      log.add(
          new RecordedCheck(
              name,
              user,
              nodeProcess.number(),
              result,
              it.origin(),
              sent,
              it.before(),
              it.after(),
              received));
    }
  }

  /** Stops the clients and returns all recorded checks. */
  List<RecordedCheck> end() throws InterruptedException {
    close();
    for (Thread client : clients) {
      client.join(30_000);
    }
    return List.copyOf(log);
  }

  /** Errors that nodes returned in place of a decision. */
  List<String> errors() {
    return List.copyOf(errors);
  }

  @Override
  public void close() {
    ended = true;
  }
}
