/**
 * The subjects of the synthetic catalog: `domain: words of its trade | names of the trade in German, French, Spanish`,
 * then its tasks, one a line: `id: verbs for the task | objects of the task | related words`.
 */
export const DOMAINS = `
legal: law, court, counsel, compliance, clause, jurisdiction | recht, droit, derecho
 contract-review: review, examine, vet | contracts, agreements, covenants | obligations, liability, red flags, redline
 case-research: research, look up | case law, precedents, rulings | citations, judgments, appeals
 patent-search: search, screen | patents, inventions, prior art | claims, filings, novelty
 trademark-watch: monitor, guard | trademarks, brand names, marks | infringement, registers, opposition
 privacy-audit: audit, assess | privacy policies, data protection practices | gdpr, consent, personal data
 dispute-letters: draft, write | demand letters, dispute notices | arbitration, settlement, deadlines
accounting: bookkeeping, ledger, fiscal, audit trail | buchhaltung, comptabilité, contabilidad
 invoice-capture: extract data from, read | invoices, bills, receipts | line items, totals, vendors
 tax-return: prepare, file | tax returns, tax declarations | deductions, revenue office, brackets
 payroll-run: run, calculate | payroll, salaries, wages | payslips, withholding, overtime
 expense-check: check, approve | expense claims, travel expenses | mileage, per diem, reimbursement
 bank-reconcile: reconcile, match | bank statements, account transactions | balances, discrepancies, entries
 cashflow-plan: forecast, project | cash flow, liquidity | runway, burn, working capital
banking: lending, interest, risk, lender | bank, banque, banco
 credit-score: score, rate | borrowers, loan applicants | default, affordability, credit history
 mortgage-compare: compare, shortlist | mortgages, home loans | fixed rate, term, repayment
 fraud-flag: flag, catch | fraudulent payments, card fraud | chargebacks, suspicious transactions, velocity
 kyc-verify: verify, onboard | customer identities, identity documents | kyc, sanctions lists, liveness
 fx-convert: convert, quote | currencies, exchange rates | forex, spread, hedging
 debt-collect: chase, recover | overdue debts, unpaid accounts | arrears, instalments, reminders
investing: market, ticker, returns, volatility | börse, bourse, bolsa
 stock-screen: screen, filter | stocks, equities, shares | dividends, earnings, valuation ratio
 portfolio-balance: rebalance, optimise | portfolios, asset allocations | bonds, diversification, drift
 crypto-watch: track, follow | cryptocurrencies, tokens, coins | wallets, blockchain, onchain flows
 earnings-digest: summarise, condense | earnings calls, quarterly reports | guidance, margins, transcripts
 news-sentiment: gauge, measure | market sentiment, investor mood | headlines, bullish, bearish
 esg-rate: rate, grade | sustainability performance, esg disclosures | carbon footprint, governance, ethics
medicine: clinical, patient, hospital, diagnosis | medizin, médecine, medicina
 symptom-triage: triage, assess | symptoms, complaints | urgency, fever, pain
 radiology-read: read, interpret | x-rays, ct scans, radiology images | lesions, fractures, findings
 drug-interact: check, detect | drug interactions, medication conflicts | dosage, contraindications, pills
 appointment-book: book, schedule | doctor appointments, clinic visits | slots, waiting list, reminders
 clinical-notes: transcribe, write up | clinical notes, consultations | dictation, discharge letters, charts
 trial-match: match, enrol | patients to clinical trials, trial candidates | eligibility, cohorts, placebo
fitness: exercise, body, coach, wellness | fitness, remise en forme, gimnasio
 workout-plan: plan, design | workouts, training programmes | sets, repetitions, strength
 meal-plan: plan, compose | meals, diets | calories, protein, macros
 sleep-coach: coach, improve | sleep, sleeping habits | insomnia, bedtime, circadian
 run-analyse: analyse, break down | runs, running form | pace, cadence, marathon
 meditation-guide: guide, lead | meditations, mindfulness sessions | breathing, calm, stress
 injury-rehab: rehabilitate, treat | sports injuries, sprains | physiotherapy, stretching, mobility
travel: trip, destination, tourist, holiday | reise, voyage, viaje
 flight-search: find, compare | flights, airfares, plane tickets | layovers, airlines, departures
 hotel-book: book, reserve | hotels, rooms, accommodation | check in, breakfast, cancellation
 itinerary-build: build, draft | itineraries, travel plans | sights, museums, day trips
 visa-check: check, explain | visa rules, entry requirements | passport, embassy, consulate
 baggage-trace: trace, recover | lost luggage, missing bags | airport, claim tag, carousel
 city-guide: guide visitors through, introduce | cities, old towns | landmarks, walking tour, local tips
realestate: property, housing, square metres, neighbourhood | immobilien, immobilier, inmobiliaria
 home-value: appraise, estimate the value of | houses, homes, properties | comparables, valuation, sale price
 rental-find: find, shortlist | apartments, flats, rentals | landlord, deposit, furnished
 lease-draft: draft, fill in | leases, tenancy contracts | tenant, notice period, rent increase
 floorplan-draw: draw, sketch | floor plans, room layouts | walls, dimensions, scale
 mortgage-papers: collect, arrange | closing papers, title deeds | notary, escrow, land registry
 renovation-quote: quote, price | renovations, refurbishments | kitchen, bathroom, contractors
cooking: kitchen, taste, ingredient, chef | kochen, cuisine, cocina
 recipe-suggest: suggest, invent | recipes, dishes | pantry, leftovers, seasoning
 wine-pair: pair, recommend | wines, bottles | cheese, grape, vintage
 grocery-list: compile, order | grocery lists, food shopping | aisle, brands, weekly
 restaurant-pick: pick, reserve tables at | restaurants, bistros | menu, terrace, seating
 baking-fix: troubleshoot, rescue | cakes, bread dough | yeast, oven, crumb
 allergen-check: check, warn about | allergens, food intolerances | gluten, nuts, lactose
farming: field, harvest, crop, season | landwirtschaft, agriculture, agricultura
 crop-disease: diagnose, identify | plant diseases, crop blight | leaves, fungus, spots
 yield-predict: predict, estimate | harvest yields, crop output | hectare, tonnes, satellite
 irrigation-plan: schedule, control | irrigation, watering | soil moisture, pumps, drought
 livestock-watch: watch, monitor | cattle, livestock, herds | collars, grazing, calving
 seed-choice: choose, recommend | seeds, crop varieties | climate zone, sowing, resistance
 pest-forecast: forecast, warn of | pests, insect outbreaks | traps, larvae, spraying
logistics: freight, carrier, depot, supply chain | logistik, logistique, logística
 parcel-track: track, trace | parcels, packages, shipments | delivery, courier, status
 route-plan: plan, optimise | delivery routes, driver tours | stops, fuel, vehicles
 stock-count: count, audit | inventory, warehouse stock | pallets, barcode, shelves
 customs-code: classify, declare | goods for customs, tariff codes | duties, import, hs code
 freight-quote: quote, negotiate | freight rates, haulage prices | lorry, container, lane
 cold-chain: monitor, log | cold chain temperatures, refrigerated cargo | perishable, sensors, spoilage
hr: employee, workforce, team, manager | personal, ressources humaines, recursos humanos
 resume-screen: screen, rank | resumes, job applications | candidates, skills, shortlist
 job-advert: write, polish | job adverts, vacancy postings | role, inclusive wording, requirements
 interview-train: rehearse, simulate | job interviews, interview questions | answers, confidence, feedback
 leave-manage: manage, approve | leave requests, holiday entitlement | absence, sick days, calendar
 onboarding-guide: guide, welcome | new hires, joiners | first week, checklist, buddy
 survey-engage: run, analyse | engagement surveys, staff polls | morale, turnover, anonymous
education: student, lesson, school, teacher | bildung, éducation, educación
 math-tutor: teach, tutor | mathematics, algebra, calculus | equations, steps, proofs
 essay-grade: grade, mark | essays, student papers | rubric, argument, feedback
 quiz-make: make, generate | quizzes, test questions | multiple choice, difficulty, answers
 language-teach: teach, practise | foreign languages, vocabulary | pronunciation, flashcards, beginners
 lesson-plan: plan, prepare | lessons, curricula | objectives, worksheets, classroom
 plagiarism-find: find, detect | plagiarism, copied passages | sources, similarity, originality
translation: language, translator, bilingual, localisation | übersetzung, traduction, traducción
 document-translate: translate, render | documents, texts | glossary, terminology, layout
 website-localise: localise, adapt | websites, apps, interfaces | strings, locale, culture
 live-interpret: interpret, voice over | meetings, live speech | simultaneous, conference, headset
 subtitle-make: subtitle, caption | videos, films | timing, lines, hard of hearing
 grammar-fix: proofread, correct | grammar, spelling | punctuation, typos, style
 sign-language: recognise, convert | sign language, gestures | deaf, hands, avatar
writing: text, author, tone, words | schreiben, rédaction, redacción
 text-summary: summarise, condense | long texts, articles, reports | key points, abstract, length
 story-write: write, invent | stories, fairy tales | characters, plot, chapter
 speech-write: write, craft | speeches, toasts | audience, jokes, anecdotes
 newsletter-write: write, lay out | newsletters, mailings | subscribers, subject line, editions
 poem-write: compose, write | poems, verses | rhyme, metre, sonnet
 product-copy: write, polish | product descriptions, shop copy | features, bullet points, benefits
music: audio, sound, studio, listener | musik, musique, música
 song-compose: compose, generate | songs, melodies | chords, lyrics, tempo
 track-master: master, mix | tracks, recordings | loudness, equaliser, stems
 playlist-curate: curate, recommend | playlists, songs to hear | mood, genre, discovery
 vocal-split: separate, isolate | vocals, instruments | karaoke, stems, acapella
 sheet-transcribe: transcribe, notate | sheet music, scores | notes, bars, midi
 noise-remove: remove, reduce | background noise, hiss | hum, clicks, restoration
image: picture, pixel, visual, photo | bild, image, imagen
 image-generate: generate, paint | images, pictures, illustrations | prompt, style, resolution
 background-remove: remove, cut out | backgrounds, backdrops | transparent, product photos, mask
 photo-restore: restore, colourise | old photos, faded photographs | scratches, faces, sepia
 logo-design: design, draw | logos, emblems | brand, vector, palette
 image-caption: caption, describe | photos, screenshots | alt text, accessibility, blind
 face-blur: blur, anonymise | faces, number plates | privacy, street footage, pixelate
video: film, footage, clip, frame | video, vidéo, vídeo
 video-edit: edit, cut | videos, clips | transitions, timeline, trailer
 highlight-find: find, extract | highlights, best moments | matches, goals, reels
 avatar-present: animate, voice | avatars, presenters | lip sync, studio, script
 footage-search: search, index | footage, camera archives | scenes, objects, timestamps
 thumbnail-make: make, test | thumbnails, cover frames | clicks, channel, contrast
 video-moderate: moderate, screen | user videos, uploads | nudity, violence, policy
speech: voice, spoken, microphone, audio | sprache, parole, voz
 speech-transcribe: transcribe, write down | speech, recordings, interviews | speakers, timestamps, minutes
 text-read: read aloud, speak | texts, articles | voices, narration, audiobook
 voice-clone: clone, imitate | voices, speaking styles | timbre, consent, samples
 call-analyse: analyse, score | phone calls, support calls | agents, talk time, tone
 accent-train: train, correct | accents, pronunciation | phonemes, mouth, drills
 podcast-cut: cut, clean up | podcasts, episodes | filler words, pauses, chapters
code: software, developer, repository, programming | programmierung, programmation, programación
 code-review: review, inspect | code, pull requests | bugs, style, merge
 test-write: write, generate | unit tests, test cases | coverage, mocks, assertions
 bug-fix: fix, debug | bugs, crashes | stack trace, root cause, patch
 code-port: port, migrate | legacy code, old programs | cobol, framework, rewrite
 api-docs: document, describe | apis, endpoints | openapi, examples, reference
 sql-write: write, optimise | sql queries, database statements | joins, indexes, slow
security: threat, attack, defence, incident | sicherheit, sécurité, seguridad
 vuln-scan: scan, probe | vulnerabilities, weaknesses | cve, ports, patches
 phishing-check: check, unmask | phishing mails, scam links | sender, spoofed, urls
 malware-analyse: analyse, dissect | malware, trojans | sandbox, binary, indicators
 password-audit: audit, test | passwords, credentials | leaks, strength, reuse
 log-hunt: hunt through, correlate | logs, security events | siem, intrusion, alerts
 contract-audit: audit, verify | smart contracts, solidity code | reentrancy, exploits, tokens
devops: server, cluster, pipeline, infrastructure | betrieb, exploitation, operaciones
 deploy-run: deploy, roll out | releases, services | rollback, canary, containers
 uptime-watch: watch, ping | uptime, availability | outage, status page, latency
 cost-cut: cut, optimise | cloud costs, cloud bills | idle instances, reservations, savings
 backup-test: back up, restore | databases, volumes | snapshots, recovery, retention
 incident-answer: answer, coordinate | incidents, pages | on call, postmortem, runbook
 config-lint: lint, validate | configuration, manifests | kubernetes, terraform, drift
data: dataset, column, analytics, table | daten, données, datos
 data-clean: clean, deduplicate | datasets, customer records | missing values, outliers, formats
 chart-make: chart, plot | data, figures | bars, trends, dashboard
 web-scrape: scrape, crawl | web pages, websites | html, selectors, listings
 pdf-extract: extract, parse | pdf tables, scanned documents | ocr, cells, forms
 forecast-series: forecast, predict | time series, demand | seasonality, horizon, error
 anomaly-spot: spot, detect | anomalies, outliers | spikes, thresholds, sensors
marketing: campaign, brand, audience, conversion | marketing, mercatique, mercadotecnia
 ad-write: write, test | adverts, ad copy | clicks, headlines, budget
 seo-audit: audit, improve | search rankings, seo | keywords, backlinks, meta tags
 social-post: plan, publish | social media posts, tweets | hashtags, schedule, followers
 lead-score: score, qualify | leads, prospects | funnel, crm, intent
 influencer-find: find, vet | influencers, creators | reach, engagement, niche
 review-watch: watch, answer | customer reviews, ratings | stars, reputation, replies
commerce: shop, product, checkout, merchant | handel, commerce, comercio
 price-watch: watch, compare | prices, offers | discounts, competitors, history
 product-advise: recommend, advise on | products, purchases | needs, features, budget
 return-handle: handle, settle | returns, refunds | labels, exchange, warranty
 gift-find: find, suggest | gifts, presents | birthday, occasion, wrapping
 support-answer: answer, resolve | customer questions, support tickets | helpdesk, faq, escalation
 size-advise: advise on, predict | clothing sizes, shoe fit | measurements, brands, returns
weather: forecast, sky, temperature, climate | wetter, météo, clima
 rain-forecast: forecast, predict | rain, showers | radar, umbrella, hourly
 storm-warn: warn of, track | storms, hurricanes | wind, evacuation, path
 frost-warn: warn of, predict | frost, freezing nights | vineyards, roads, dew point
 air-quality: measure, report | air quality, pollution | ozone, particles, index
 snow-report: report, forecast | snow, avalanches | slopes, depth, resort
 climate-model: model, project | climate, warming | scenarios, sea level, decades
energy: electricity, power, grid, kilowatt | energie, énergie, energía
 solar-size: size, design | solar roofs, photovoltaic systems | panels, inverter, shading
 bill-explain: explain, lower | electricity bills, power bills | tariff, meter, consumption
 ev-charge: schedule, locate | car charging, charging stations | battery, plug, range
 heat-control: control, tune | heating, thermostats | rooms, comfort, boiler
 load-forecast: forecast, balance | grid load, power demand | peaks, wind farms, storage
 turbine-watch: watch, maintain | wind turbines, rotors | vibration, blades, gearbox
science: paper, laboratory, hypothesis, experiment | wissenschaft, science, ciencia
 paper-search: search, map | papers, scientific literature | citations, abstracts, journals
 protein-fold: fold, predict | proteins, amino acid chains | structure, binding, residues
 molecule-design: design, screen | molecules, compounds | drug candidates, docking, toxicity
 gene-annotate: annotate, interpret | genes, genomes | variants, mutations, sequencing
 star-map: map, catalogue | stars, galaxies | telescope, spectra, sky survey
 lab-plan: plan, record | experiments, lab protocols | reagents, notebook, pipetting
mobility: vehicle, road, driver, transport | mobilität, mobilité, movilidad
 traffic-predict: predict, ease | traffic jams, congestion | junctions, rush hour, detours
 parking-find: find, reserve | parking spaces, garages | kerb, permit, meter
 car-diagnose: diagnose, explain | car faults, engine trouble | codes, workshop, repair
 train-connect: find, compare | train connections, rail tickets | platform, delay, seat
 bike-share: rent, locate | bikes, scooters | dock, helmet, unlock
 fleet-manage: manage, track | fleets, company cars | mileage, drivers, leasing
public: citizen, authority, council, form | behörde, administration, administración
 permit-apply: apply for, fill in | permits, licences | building, fees, office
 benefit-check: check, estimate | benefits, welfare claims | income, household, eligibility
 law-explain: explain, simplify | laws, regulations | plain language, statute, rights
 vote-inform: inform about, compare | elections, party programmes | candidates, polling place, ballot
 crime-map: map, analyse | crime, offences | district, police, hotspots
 disaster-help: coordinate, dispatch | disaster relief, rescue teams | flood, shelter, volunteers
home: household, family, room, everyday | haushalt, maison, hogar
 pet-care: advise on, look after | pets, dogs, cats | vet, feeding, vaccination
 garden-plan: plan, plant | gardens, flower beds | shade, perennials, pruning
 interior-style: style, furnish | interiors, living rooms | sofa, colours, lighting
 child-play: invent, suggest | games for children, activities for kids | age, crafts, rainy day
 wedding-plan: plan, organise | weddings, celebrations | guests, venue, seating
 repair-guide: guide, teach | household repairs, appliance fixes | leak, screws, washing machine
media: news, press, reader, story | medien, médias, medios
 news-digest: digest, gather | news, headlines | morning, sources, topics
 fact-check: verify, debunk | claims, rumours | evidence, misleading, sources
 press-release: write, distribute | press releases, announcements | journalists, embargo, quotes
 movie-suggest: suggest, rate | movies, series | streaming, actors, genre
 comment-moderate: moderate, filter | comments, forum posts | hate speech, spam, abuse
 event-list: list, recommend | events, concerts | tickets, venue, weekend
gaming: player, level, game, console | spiele, jeux, juegos
 npc-talk: voice, write | game characters, dialogues | quests, lore, branches
 level-make: generate, balance | game levels, maps | enemies, difficulty, terrain
 cheat-catch: catch, ban | cheaters, bots | aimbot, fairness, telemetry
 chess-coach: coach, analyse | chess games, openings | endgame, blunders, tactics
 team-match: match, group | players, teams | ranking, lobby, skill
 asset-make: make, texture | game assets, sprites | meshes, tiles, shaders
`;

/** Audiences that a card may name, with several wordings of each. */
export const AUDIENCES = `
small businesses, small firms, shops and trades
startups, founders, young ventures
hospitals, clinics, care providers
schools, universities, colleges
families, parents, households
freelancers, the self-employed, solo workers
public offices, municipalities, city councils
banks, insurers, financial institutions
online retailers, webshops, e-commerce sellers
manufacturers, factories, industrial plants
charities, nonprofits, ngos
seniors, older people, pensioners
students, learners, pupils
developers, engineers, programmers
journalists, editors, newsrooms
researchers, scientists, academics
hotels, hosts, hospitality
farmers, growers, vineyards
athletes, clubs, coaches
enterprises, corporations, large companies
`;

/** Languages that a card may name, with the country whose tag it may then carry. */
export const LANGUAGES = `
English GB, English US, German DE, French FR, Spanish ES, Italian IT, Portuguese PT, Dutch NL, Polish PL, Swedish SE, Japanese JP, Turkish TR, Arabic AE, Hindi IN, Greek GR
`;
