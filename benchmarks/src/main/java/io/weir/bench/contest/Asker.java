package io.weir.bench.contest;

import io.weir.bench.fork.Answer;
import io.weir.bench.fork.TalkingJvm;
import io.weir.bench.load.Generator;
import io.weir.bench.load.Question;
import io.weir.bench.program.Cores;
import io.weir.bench.program.Running;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/** The load generator, on the clients' core. */
public final class Asker implements AutoCloseable {
  private static final List<String> JVM_FLAGS = List.of("-Xms256m", "-Xmx256m", "-XX:+UseSerialGC");

  private final TalkingJvm jvm;
  private final Path file;
  private final List<Running> companions = new ArrayList<>();
  private Optional<Aim> aim = Optional.empty();

  private record Aim(int port, Question question) {}

  /**
   * The responses to a run.
   *
   * @param good including the tolerated
   */
  record Answered(long good, long tolerated, long bad, double seconds) {}

  /** Starts it. */
  public Asker(Cores cores) throws IOException, InterruptedException {
    file = Files.createTempFile("bench", ".question");
    jvm = TalkingJvm.start(Generator.class, JVM_FLAGS, List.of());
    jvm.hear("ready");
    cores.moveToClient(jvm.pid());
  }

  /**
   * Another program takes part in every request on the same core; counts its processor time too.
   */
  public void shareCoreWith(Running program) {
    companions.add(program);
  }

  /** The processor time used on the clients' core so far. */
  long cpuMicros() throws IOException {
    long micros = Running.cpuMicros(jvm.pid());
    for (Running program : companions) {
      micros += program.cpuMicros();
    }
    return micros;
  }

  /** Sends requests for a while, in a closed loop. */
  Answered ask(int port, Question question, int millis) throws IOException {
    aim(port, question);
    jvm.tell("run", millis);
    Answer answer = jvm.hear("run");
    complain(answer);
    return new Answered(answer.whole(0), answer.whole(1), answer.whole(2), answer.whole(3) / 1e9);
  }

  /**
   * Sends requests for a while in an open loop; {@code bad} receives the number of bad responses.
   */
  Sample.Latency pace(int port, Question question, int millis, double perSecond, LongConsumer bad)
      throws IOException {
    aim(port, question);
    jvm.tell("pace", millis, perSecond);
    Answer answer = jvm.hear("pace");
    complain(answer);
    bad.accept(answer.whole(2));
    return new Sample.Latency(
        perSecond,
        answer.number(5) / 1000,
        answer.number(6) / 1000,
        answer.number(7) / 1000,
        answer.number(8) / 1000,
        answer.number(9) / 1000);
  }

  private void aim(int port, Question question) throws IOException {
    Optional<Aim> next = Optional.of(new Aim(port, question));
    if (!next.equals(aim)) {
      question.write(file);
      jvm.tell("aim", port, file);
      jvm.hear("aimed");
      aim = next;
    }
  }

  private static void complain(Answer answer) {
    if (answer.whole(2) > 0) {
      System.err.println("bad responses: " + answer.whole(2) + "; the first: " + answer.text(4));
    }
  }

  @Override
  public void close() throws IOException {
    jvm.close();
    Files.deleteIfExists(file);
  }
}
