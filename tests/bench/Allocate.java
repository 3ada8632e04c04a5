import java.io.*;
import java.util.concurrent.atomic.*;
import javax.management.*;
import java.lang.management.*;

/**
 * A JVM that allocates, takes locks that others want, and starts threads. Each line on stdin, a
 * number of milliseconds, is answered by its work in that time: objects a second, and a second of
 * processor time.
 */
public class Allocate {
	static final LongAdder done = new LongAdder();
	static volatile Object sink;

	static void work() {
		Object[] kept = new Object[1000];
		for (int n = 0;; n = (n + 1) % 1_000_000) {
			kept[n % kept.length] = new byte[100 + n % 1000];
			if (n % 100 == 0)
				synchronized (done) {
					sink = new Object[] {sink == null ? null : kept[0]};
				}
			if (n % 1000 == 999)
				done.add(1000);
		}
	}

	static long used() {
		return ((com.sun.management.OperatingSystemMXBean)
			ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
	}

	public static void main(String[] args) throws Exception {
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
		for (int i = 0; i < 2; i++) {
			Thread thread = new Thread(Allocate::work);
			thread.setDaemon(true);
			thread.start();
		}
		used();
		System.out.println("ready");
		for (String line; (line = in.readLine()) != null;) {
			long wanted = 1_000_000L * Long.parseLong(line);
			long begin = System.nanoTime(), used = used(), work = done.sum(), time;
			while ((time = System.nanoTime() - begin) < wanted) {
				Thread brief = new Thread(() -> {});
				brief.start();
				brief.join();
				Thread.sleep(5);
			}
			work = done.sum() - work;
			System.out.printf("%.0f %.0f%n", work * 1e9 / time, work * 1e9 / (used() - used));
		}
	}
}
